/// MongoDB's errors as problems of a request: [MongoErrors].
///
/// Must not know: what was asked for when they happened.
@NullMarked
package org.restheart.mongo.error;

import org.jspecify.annotations.NullMarked;
