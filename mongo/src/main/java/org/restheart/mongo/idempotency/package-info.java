/// Inserts that may be retried: a `POST` with an `Idempotency-Key` is carried out once and answered the same each
/// time. [KeyedPost] is the entry point; what was answered is kept in each database, so that gateways share it.
///
/// Must not know: how documents are shaped and written.
@NullMarked
package org.restheart.mongo.idempotency;

import org.jspecify.annotations.NullMarked;
