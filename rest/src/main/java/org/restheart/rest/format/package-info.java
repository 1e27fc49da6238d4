/// Encodes the documents of a result as the bytes of a response: [DocumentFormat] is an output format,
/// [DocumentContent] writes while a cursor is read, in bounded memory.
///
/// Must not know: HTTP methods and paths, how a result was requested.
@NullMarked
package org.restheart.rest.format;

import org.jspecify.annotations.NullMarked;
