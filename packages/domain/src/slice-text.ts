/** Returns at most the first `length` characters, and never half a surrogate pair of what is cut. */
export function sliceText(text: string, length: number): string {
  return text.length <= length ? text : text.slice(0, length).replace(/[\uD800-\uDBFF]$/, "");
}
