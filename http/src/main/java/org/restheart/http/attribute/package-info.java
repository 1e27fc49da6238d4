/// Attributes that steps of the pipeline pass on with a request, by typed keys ([org.restheart.http.attribute.Key]).
///
/// Must not know: requests, or anything else of this server.
@NullMarked
package org.restheart.http.attribute;

import org.jspecify.annotations.NullMarked;
