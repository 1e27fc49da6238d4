/// Imports that continue after their client has disconnected: content is first stored in parts, and each part
/// is then written by a judged request of its owner. [ImportService] is the entry point; nothing here writes to
/// the target itself.
@NullMarked
package org.restheart.rest.importing;

import org.jspecify.annotations.NullMarked;
