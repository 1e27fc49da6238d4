/// What to ask MongoDB for, as values ([FindQuery], [DocumentQuery], [CountQuery]), apart from asking it
/// ([Finder]; [Documents] over the driver). Everything that changes an answer is in the value, so that equal
/// questions may share one answer.
///
/// Must not know: HTTP, representations.
@NullMarked
package org.restheart.mongo.find;

import org.jspecify.annotations.NullMarked;
