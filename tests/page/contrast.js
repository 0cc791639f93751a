() => {
  // Every piece of text whose contrast with what is painted behind it is under 4.5 to 1, as [text, contrast].
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const channels = (colour) => {
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3).map((value) => value / 255);
  };
  const linear = (value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
  const luminance = (colour) => {
    const [red, green, blue] = channels(colour).map(linear);
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const behind = (node) => {
    const colour = node ? getComputedStyle(node).backgroundColor : "white";
    return /, 0\)$/.test(colour) ? behind(node.parentElement) : colour;
  };
  const contrast = (node) => {
    const [light, dark] = [luminance(getComputedStyle(node).color), luminance(behind(node))].sort((a, b) => b - a);
    return (light + 0.05) / (dark + 0.05);
  };
  const hasText = (node) => [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim());
  const isSeen = (node) => node.checkVisibility({ visibilityProperty: true }) && !node.closest(".unseen, :disabled");
  return [...document.querySelectorAll("body *")]
    .filter((node) => hasText(node) && isSeen(node) && contrast(node) < 4.5)
    .map((node) => [node.textContent.slice(0, 30), Math.round(contrast(node) * 100) / 100]);
}
