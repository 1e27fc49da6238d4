/// Checks clients' queries for forbidden operators ([ForbiddenOperators]), fields that an access rule hides
/// ([HiddenFields]) and forbidden stages of pipelines ([PipelineInspection], [ReadingStages]).
///
/// Must not know: how queries are run.
@NullMarked
package org.restheart.rest.guard;

import org.jspecify.annotations.NullMarked;
