/// Converts request content to stored form: dotted keys, update operators, `$currentDate`, fields that the server and
/// the access rules add. [NewDocument] is for documents that are stored whole, [UpdateContent] for updates.
///
/// Must not know: the driver's client; the outcome of a write.
@NullMarked
package org.restheart.rest.content;

import org.jspecify.annotations.NullMarked;
