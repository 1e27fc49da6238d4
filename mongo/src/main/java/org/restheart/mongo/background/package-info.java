/// What runs besides requests ([BackgroundTasks]): repeated tasks, and followers of change streams ([ChangeFollower]).
///
/// Must not know: HTTP, who is told of changes.
@NullMarked
package org.restheart.mongo.background;

import org.jspecify.annotations.NullMarked;
