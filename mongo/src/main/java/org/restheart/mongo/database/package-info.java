/// Making, changing and dropping databases. A database is there once properties are stored in it.
///
/// Must not know: documents.
@NullMarked
package org.restheart.mongo.database;

import org.jspecify.annotations.NullMarked;
