// Elements of both pages.
export const element = (name, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
};

export const button = (textContent, act, className = "") => {
  const made = element("button", { type: "button", textContent, className });
  made.addEventListener("click", act);
  return made;
};

export const linkTo = (text, act) => button(text, act, "link");

// A table that may be wider than the page, which keys scroll too.
export const scrolled = (ariaLabel, table) => element("div", { className: "scroll", tabIndex: 0, role: "region", ariaLabel }, table);
