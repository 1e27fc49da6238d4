/// Imports that go on when their client has gone: content is stored first, in parts, and each part is then written by a
/// judged request of the account that sent it. [ImportService] is the entry; nothing here writes to the target itself.
@NullMarked
package org.restheart.mongo.importing;

import org.jspecify.annotations.NullMarked;
