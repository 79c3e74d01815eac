/**
 * Tells whether a text is the origin of a page as browsers send it, such as `https://app.example.com`: scheme and host in lower case,
 * the port unless it is the scheme's own, and nothing else.
 */
export function isWebOrigin(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && url.host !== "" && `${url.protocol}//${url.host}` === text;
}
