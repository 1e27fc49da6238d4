/// The steps around every service that concern HTTP itself: CORS, errors, OPTIONS, standing headers. [Pipeline]
/// writes their order once.
///
/// Must not know: the HTTP server, MongoDB, how callers are authenticated (the security filter is given as a filter).
@NullMarked
package org.restheart.core.filter;

import org.jspecify.annotations.NullMarked;
