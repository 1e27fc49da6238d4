/// The language of access rules: text such as `path-prefix('/c') and method(GET)` is parsed once by
/// [PredicateParser] into a closed, printable [Predicate] and then only evaluated, against an [Attempt].
///
/// Must not know: roles, permissions, where rules come from.
@NullMarked
package org.restheart.security.predicate;

import org.jspecify.annotations.NullMarked;
