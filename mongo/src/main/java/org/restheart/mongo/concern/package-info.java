/// How long writes wait until members of the deployment confirm them ([BoundedConcern]), how many members that are by
/// default ([DefaultConcern]), and how often operations are repeated whose connection broke ([ConnectionRetry]).
///
/// Must not know: the requests that write.
@NullMarked
package org.restheart.mongo.concern;

import org.jspecify.annotations.NullMarked;
