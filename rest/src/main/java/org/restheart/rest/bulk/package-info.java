/// Writes of many documents in one request, and the report of their results.
///
/// Must not know: single writes; preconditions, which bulk writes do not have.
@NullMarked
package org.restheart.rest.bulk;

import org.jspecify.annotations.NullMarked;
