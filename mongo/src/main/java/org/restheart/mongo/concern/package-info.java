/// How long writes wait until members of the deployment confirm them ([BoundedConcern]), and how many members that are
/// by default ([DefaultConcern]).
///
/// Must not know: the requests that write.
@NullMarked
package org.restheart.mongo.concern;

import org.jspecify.annotations.NullMarked;
