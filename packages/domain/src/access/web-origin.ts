/**
 * Returns whether a text is a page's origin as browsers send it, such as `https://app.example.com`: scheme and host in lower case,
 * and the port unless it is the scheme's default. `URL.parse` accepts a wildcard as a host, but no page has such an origin.
 */
export function isWebOrigin(text: string): boolean {
  const url = URL.parse(text);
  return (
    url !== null && url.host !== "" && !url.host.includes("*") && `${url.protocol}//${url.host}` === text
  );
}
