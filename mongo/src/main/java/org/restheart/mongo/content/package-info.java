/// What clients send, made into what is stored: dotted keys, update operators, `$currentDate`, what the server
/// and the access rules add. [NewDocument] shapes what is stored whole, [Changes] what changes a stored
/// document.
///
/// Must not know: the driver's client; what becomes of a write.
@NullMarked
package org.restheart.mongo.content;

import org.jspecify.annotations.NullMarked;
