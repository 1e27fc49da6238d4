/// Inserts that may be retried: a `POST` with an `Idempotency-Key` is executed once and gets the same response each
/// time. [KeyedPost] is the entry point; responses are stored in each database, so that gateways share them.
///
/// Must not know: how documents are converted and written.
@NullMarked
package org.restheart.rest.idempotency;

import org.jspecify.annotations.NullMarked;
