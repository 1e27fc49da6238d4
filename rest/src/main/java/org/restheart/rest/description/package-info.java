/// What collections are like, for services that describe them: names, properties, validators, indexes, stored schemas,
/// and the shapes of documents as samples show them. [Descriptions] is the entry point. No value of a document leaves
/// this package but as part of a sample that is read in a caller's name.
///
/// Must not know: callers, the format of descriptions.
@NullMarked
package org.restheart.rest.description;

import org.jspecify.annotations.NullMarked;
