/// MongoDB's errors as problems of a request: [MongoErrors].
///
/// Must not know: the requests that caused them.
@NullMarked
package org.restheart.mongo.error;

import org.jspecify.annotations.NullMarked;
