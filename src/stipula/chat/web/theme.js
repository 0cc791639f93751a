/* Light, dark or the system's: set before the first paint, so that nothing flashes. A classic script in the head, not a
 * module, because modules wait until the page is parsed. */

(() => {
  let kept = null;
  try {
    kept = localStorage.getItem("stipula.choice.theme");
  } catch {
    // no storage: the system's choice holds
  }
  if (kept === "light" || kept === "dark") document.documentElement.dataset.theme = kept;
})();
