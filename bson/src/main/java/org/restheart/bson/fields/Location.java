package org.restheart.bson.fields;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.restheart.text.ShortText;

/// A place in a pipeline, made for every member. Names are chosen by clients, so its text is only made for a message:
/// the texts of all places under a long name would take the memory. Immutable.
public final class Location {
    private static final int MAX_NAME = 100;
    private static final int MAX_STEPS = 20;

    private final @Nullable Location parent;
    private final String name;

    /// -1 for a member.
    private final int index;

    private Location(@Nullable Location parent, String name, int index) {
        this.parent = parent;
        this.name = name;
        this.index = index;
    }

    public static Location of(String name) {
        return new Location(null, name, -1);
    }

    public Location member(String name) {
        return new Location(this, name, -1);
    }

    public Location element(int index) {
        return new Location(this, "", index);
    }

    /// Long names are cut, and of many steps the last ones are left out.
    @Override
    public String toString() {
        List<Location> steps = new ArrayList<>();
        for (Location step = this; step != null; step = step.parent) {
            steps.add(step);
        }
        var text = new StringBuilder();
        for (var step : steps.reversed().subList(0, Math.min(steps.size(), MAX_STEPS))) {
            if (step.index >= 0) {
                text.append('[').append(step.index).append(']');
            } else {
                text.append(text.isEmpty() ? "" : ".").append(ShortText.of(step.name, MAX_NAME));
            }
        }
        return text + (steps.size() > MAX_STEPS ? "…" : "");
    }
}
