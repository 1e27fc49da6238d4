/// Reading and writing single documents, and queries for many.
///
/// Must not know: how a request was authenticated.
@NullMarked
package org.restheart.rest.document;

import org.jspecify.annotations.NullMarked;
