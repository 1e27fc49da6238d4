/// Which databases, collections and indexes there are, and the properties stored with them.
///
/// Must not know: documents' content.
@NullMarked
package org.restheart.mongo.catalog;

import org.jspecify.annotations.NullMarked;
