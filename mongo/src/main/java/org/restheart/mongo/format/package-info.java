/// How the documents of a result become the bytes of a response: [DocumentFormat] is one way of writing them,
/// [DocumentContent] writes while a cursor is read, in memory that does not grow with the result.
///
/// Must not know: HTTP methods and paths, how a result was asked for.
@NullMarked
package org.restheart.mongo.format;

import org.jspecify.annotations.NullMarked;
