/// What a client's queries may not contain: operators that are switched off ([ForbiddenOperators]), fields
/// that an access rule hides ([HiddenFields]), dangerous stages of pipelines ([PipelineRules]).
///
/// Must not know: how queries are run.
@NullMarked
package org.restheart.mongo.guard;

import org.jspecify.annotations.NullMarked;
