/// JSON Schemas: the form they are stored in, and holding documents to them. [Schemas] is the entry point.
///
/// Must not know: how documents are written.
@NullMarked
package org.restheart.mongo.schema;

import org.jspecify.annotations.NullMarked;
