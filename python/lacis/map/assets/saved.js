// A text as a file of the reader's.
export const saved = (name, text) => {
  const address = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  Object.assign(document.createElement("a"), { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
};
