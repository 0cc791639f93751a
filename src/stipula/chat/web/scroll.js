/* Following a growing answer. Only the reader lets go (by moving up) and only the reader takes hold again (by coming near
 * the end, by "Jump to latest", by sending). Growth, folding and resizing never change which of the two it is. */

const NEAR = 60;
const FAR = 200;
const UPWARD = 3;

export class Follower {
  #view;
  #jump;
  #isFollowing = true;
  #expected = 0; // where our own last write put the view
  #last = 0;
  #height = 0;

  constructor(view, content, jump) {
    this.#view = view;
    this.#jump = jump;
    view.addEventListener("scroll", () => this.#moved(), { passive: true });
    view.addEventListener("wheel", (event) => event.deltaY < 0 && this.#letGo(), { passive: true });
    jump.addEventListener("click", () => this.follow());
    const growth = new ResizeObserver(() => this.#grown());
    growth.observe(content);
    growth.observe(view);
  }

  get isFollowing() {
    return this.#isFollowing;
  }

  /** Take hold of the end, now. */
  follow() {
    this.#isFollowing = true;
    this.#view.classList.add("following");
    this.#toEnd();
    this.#showJump();
  }

  #toEnd() {
    this.#view.scrollTop = this.#view.scrollHeight;
    this.#expected = this.#last = this.#view.scrollTop;
    this.#height = this.#view.scrollHeight;
  }

  #letGo() {
    if (this.#distance() <= 0 && this.#view.scrollTop <= 0) return; // nothing to scroll
    this.#isFollowing = false;
    this.#view.classList.remove("following");
  }

  #distance() {
    return this.#view.scrollHeight - this.#view.clientHeight - this.#view.scrollTop;
  }

  #moved() {
    const { scrollTop, scrollHeight } = this.#view;
    const isOurs = Math.abs(scrollTop - this.#expected) <= 1.5;
    const isClamped = scrollHeight < this.#height; // the content shrank and took the view with it
    if (!isOurs && !isClamped) {
      if (scrollTop < this.#last - UPWARD) this.#letGo();
      else if (scrollTop > this.#last && this.#distance() <= NEAR) this.#isFollowing = true;
    }
    this.#last = scrollTop;
    this.#height = scrollHeight;
    this.#showJump();
  }

  #grown() {
    if (this.#isFollowing) this.#toEnd();
    this.#showJump();
  }

  #showJump() {
    const distance = this.#isFollowing ? 0 : this.#distance();
    if (distance > FAR) this.#jump.hidden = false;
    else if (distance < NEAR) this.#jump.hidden = true;
  }
}
