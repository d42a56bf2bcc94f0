// SPDX-License-Identifier: Apache-2.0
// What scrolls sideways can be reached by keys: the theme takes that away from blocks that are out of sight.
const reachable = () => {
  for (const box of document.querySelectorAll("pre > code, .md-typeset__scrollwrap"))
    if (box.scrollWidth > box.clientWidth && !box.hasAttribute("tabindex")) box.tabIndex = 0;
};
new MutationObserver(reachable).observe(document.body, {
  attributeFilter: ["tabindex"],
  childList: true,
  subtree: true,
});
addEventListener("resize", reachable);
reachable();
