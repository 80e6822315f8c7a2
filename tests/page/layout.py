"""Faults in the layout of a page: text that is cut, outside, over other text, too faint or too small."""

FAULTS = """(() => {
  const faults = [], hair = 2.5, least = 14, name = text => JSON.stringify(text.trim().slice(0, 40));
  const wide = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > wide)
    faults.push(`the page is ${document.documentElement.scrollWidth} wide, the window ${wide}`);

  const colour = text => {
    const parts = text.match(/[\\d.]+/g).map(Number);
    return { rgb: parts.slice(0, 3), alpha: parts.length > 3 ? parts[3] : 1 };
  };
  const luminance = rgb => {
    const [r, g, b] = rgb.map(c => c / 255 <= 0.04045 ? c / 3294.6 : ((c / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a, b) => {
    const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
  };
  const grounds = new Map();
  const groundOf = element => {
    if (!element) return [255, 255, 255];
    if (!grounds.has(element)) {
      const paper = colour(getComputedStyle(element).backgroundColor);
      grounds.set(element, paper.alpha === 1 ? paper.rgb : groundOf(element.parentElement));
    }
    return grounds.get(element);
  };
  // The colour that the filter invert(i) hue-rotate(180deg) makes of a grey.
  const shown = (svg, rgb) => {
    const invert = /invert\\(([\\d.]+)\\)/.exec(getComputedStyle(svg).filter);
    if (!invert) return rgb;
    const much = Number(invert[1]);
    return rgb.map(c => 255 * much + c * (1 - 2 * much));
  };

  // Lines of text, each a box; what a scrolling element hides is not on show.
  const boxes = [], holders = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode, parent = node.parentElement;
    if (!node.data.trim() || parent.closest("svg, script, style, option")) continue;
    const style = getComputedStyle(parent);
    if (!parent.checkVisibility({ visibilityProperty: true })) continue;
    for (let at = parent; at && at !== document.body && !holders.has(at); at = at.parentElement) holders.add(at);
    const range = document.createRange();
    range.selectNodeContents(node);
    const scroll = parent.closest(".scroll")?.getBoundingClientRect();
    for (const box of range.getClientRects()) {
      if (box.width < 1) continue;
      if (scroll && (box.right > scroll.right || box.bottom > scroll.bottom)) continue;
      if (box.left < -0.5 || box.right > wide + 0.5) faults.push(`${name(node.data)} is outside`);
      boxes.push({ text: node.data, left: box.left, top: box.top, right: box.right, bottom: box.bottom, node });
    }
    const ratio = contrast(colour(style.color).rgb, groundOf(parent));
    if (ratio < 4.5) faults.push(`${name(node.data)} has a contrast of ${ratio.toFixed(2)}`);
    const size = parseFloat(style.fontSize);
    if (size < least) faults.push(`${name(node.data)} is ${size.toFixed(1)} pixels high`);
  }
  const overlapping = (boxes, apart) => {
    boxes.sort((a, b) => a.top - b.top);
    boxes.forEach((a, i) => {
      for (let j = i + 1; j < boxes.length && boxes[j].top < a.bottom; ++j) {
        const b = boxes[j];
        if (a.node === b.node) continue;
        if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > apart &&
            Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > apart)
          faults.push(`${name(a.text)} lies over ${name(b.text)}`);
      }
    });
  };
  overlapping(boxes, hair);

  // True of elements that hide a part of their text, unless a tooltip has all of it. Inline elements have no box, and texts for
  // screen readers one of a pixel.
  const hides = overflow => overflow === "hidden" || overflow === "clip";
  for (const holder of holders) {
    if (holder.clientWidth < 2 || holder.clientHeight < 2) continue;
    const { overflowX, overflowY } = getComputedStyle(holder);
    const across = hides(overflowX) && holder.scrollWidth > holder.clientWidth + 1;
    const down = hides(overflowY) && holder.scrollHeight > holder.clientHeight + 1;
    if ((across || down) && holder.title !== holder.textContent) faults.push(`${name(holder.textContent)} is cut by its box`);
  }

  for (const element of document.querySelectorAll(".wide"))
    if (element.scrollWidth > element.clientWidth + 1)
      faults.push(`a table is ${element.scrollWidth} wide, there is room for ${element.clientWidth}`);

  for (const svg of document.querySelectorAll("figure svg")) {
    const frame = svg.getBoundingClientRect(), level = [];
    const title = svg.querySelector("title").textContent;
    if (!frame.width) continue;
    for (const text of svg.querySelectorAll("text")) {
      const box = text.getBoundingClientRect(), what = text.firstChild?.data ?? "";
      if (!what.trim()) continue;
      if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1 ||
          box.bottom > frame.bottom + 1)
        faults.push(`${name(what)} leaves the picture ${name(title)}`);
      const size = parseFloat(getComputedStyle(text).fontSize) * frame.width / svg.viewBox.baseVal.width;
      if (size < least - 0.1)
        faults.push(`${name(what)} is ${size.toFixed(1)} pixels high in ${name(title)}`);
      const fill = shown(svg, colour(getComputedStyle(text).fill).rgb);
      const ratio = contrast(fill, groundOf(svg));
      if (ratio < 4.5) faults.push(`${name(what)} has a contrast of ${ratio.toFixed(2)} in ${name(title)}`);
      if (!text.hasAttribute("transform"))
        level.push({ text: what, left: box.left, top: box.top, right: box.right, bottom: box.bottom, node: text });
    }
    overlapping(level, hair);
  }
  return [...new Set(faults)];
})()"""


def faults(browser):
    """One line for each thing that is wrong with what the browser shows."""
    return browser.run(FAULTS)
