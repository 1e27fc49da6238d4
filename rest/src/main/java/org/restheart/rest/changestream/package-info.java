/// Change streams: one MongoDB cursor for all listeners with equal keys, each event encoded once and sent to all. A
/// listener goes through these classes, in this order:
///
/// 1. [OpenStream] parses its request and the [StreamDefinition], and puts the stages of the access rule
///    ([OpenStream.PermittedStages]) before those of the definition. Where the rule hides something, [TokenSeal]
///    encrypts resume tokens.
/// 2. [ChangeStreams] adds the [Listener] to the [SharedStream] with the same key, or opens one, within its limits.
/// 3. [SharedStream] makes each change an [Event] and offers its message to every listener, which keeps it until the
///    connection takes it.
/// 4. For a listener that resumes, [ChangeStreams.CatchUp] first delivers what it has missed, by a cursor of its own.
/// 5. [AuthorizationWatch] ends it when its credentials do not admit it any more, by [Reauthorization].
///
/// [StreamDefinitions] checks definitions when they are written.
///
/// Must not know: how messages reach their connections.
@NullMarked
package org.restheart.rest.changestream;

import org.jspecify.annotations.NullMarked;
