// Paths of the gateway, for all pages. Browsers apply "." and ".." to a path before they send it, however they are encoded: a name that comes
// from an address would lead to another resource, with the credentials of whoever opened that address.

/** A path as it is to be sent, with its query. @param {string} path
 * @throws {TypeError} if a browser would send another one */
export function checked(path) {
  const [first, ...segments] = path.replace(/[\t\r\n]/g, "").split(/[?#]/)[0].split(/[/\\]/);
  // two slashes at the beginning would name another host
  // and blanks at the end are removed
  if (first !== "" || /[\0- ]$/.test(path) || (segments.length > 1 && segments[0] === "") || segments.some(segment => /^(?:\.|%2e){1,2}$/i.test(segment))) throw new TypeError(`No path can name this: ${path}`);
  return path;
}

/** A path below another one. @param {string} base @param {string[]} segments names, which may have any characters
 * @throws {TypeError} for "." and ".." */
export const below = (base, segments) => checked(`${base === "/" ? "" : base}/${segments.map(encodeURIComponent).join("/")}`);

/** In front of all paths of the gateway, where a proxy adds a prefix. @param {string} own the path of this page */
export const prefixOf = own => location.pathname.slice(0, location.pathname.lastIndexOf(own)).replace(/^\/+|\/+$/g, "").replace(/^(?=.)/, "/");
