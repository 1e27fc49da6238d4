/// Background work ([BackgroundTasks]): repeated tasks, and followers of change streams ([ChangeFollower]).
///
/// Must not know: HTTP, the receivers of changes.
@NullMarked
package org.restheart.mongo.background;

import org.jspecify.annotations.NullMarked;
