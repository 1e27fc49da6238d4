/// JSON Schemas: their stored form, and the validation of documents. [Schemas] is the entry point.
///
/// Must not know: how documents are written.
@NullMarked
package org.restheart.rest.schema;

import org.jspecify.annotations.NullMarked;
