/** Returns at most the first `length` UTF-16 units, without cutting a surrogate pair in half. */
export function sliceText(text: string, length: number): string {
  return text.length <= length ? text : text.slice(0, length).replace(/[\uD800-\uDBFF]$/, "");
}
