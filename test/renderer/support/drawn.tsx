import { cleanup } from '@testing-library/react';
import { afterEach, beforeEach } from 'vitest';
import './patience.ts';

/** The simulated browser lays nothing out; lists that draw only what fits need to be told how much fits. */
export function giveElementsASize(size = { width: 1000, height: 600 }): void {
  beforeEach(() => {
    Object.defineProperty(HTMLElement.prototype, 'offsetWidth', {
      configurable: true,
      get: () => size.width,
    });
    Object.defineProperty(HTMLElement.prototype, 'offsetHeight', {
      configurable: true,
      get: () => size.height,
    });
    Object.defineProperty(HTMLElement.prototype, 'clientWidth', {
      configurable: true,
      get: () => size.width,
    });
    Object.defineProperty(HTMLElement.prototype, 'clientHeight', {
      configurable: true,
      get: () => size.height,
    });
    // The scroll position is all that scrolling is here.
    HTMLElement.prototype.scrollTo = function scrollTo(this: HTMLElement, to?: ScrollToOptions | number) {
      if (typeof to === 'object') this.scrollTop = to.top ?? this.scrollTop;
      this.dispatchEvent(new Event('scroll'));
    } as typeof HTMLElement.prototype.scrollTo;
  });
  afterEach(cleanup);
}
