package org.restheart.core.noninterference;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.bson.BsonDocument;

/// Plays episodes in both worlds: a scene, and requests one after the other. Has collections of its own.
final class Worker implements AutoCloseable {
    private static final int REQUESTS = 40;
    private static final int MAX_TRIALS = 150;

    private final int number;
    private final World leftWorld;
    private final World rightWorld;
    private final Lane left;
    private final Lane right;
    private final Set<String> ready = new HashSet<>();
    private final Predicate<Difference> worthwhile;
    private final Tally tally;
    private long sent;

    /// @param worthwhile which differences are made smaller and told
    Worker(int number, World leftWorld, World rightWorld, Predicate<Difference> worthwhile, Tally tally) {
        this.tally = tally;
        this.worthwhile = worthwhile;
        this.number = number;
        this.leftWorld = leftWorld;
        this.rightWorld = rightWorld;
        left = new Lane(leftWorld);
        right = new Lane(rightWorld);
    }

    /// How many requests both worlds have answered, those that made smaller ones aside.
    long sent() {
        return sent;
    }

    /// The smallest difference found, if there is any.
    Optional<Difference> episode(Profile profile, long seed) {
        var dice = new Dice(seed);
        var scene = Scene.of(profile, dice);
        boolean files = profile.hasFiles() && dice.percent(15);
        if (files) {
            scene = scene.asFiles();
        }
        var source = new Requests(dice, profile, number, files);
        var requests = new ArrayList<FuzzRequest>();
        for (int i = 0; i < REQUESTS; i++) {
            requests.add(source.next());
        }
        var found = play(profile, seed, scene, requests);
        sent += found.map(d -> d.requests().size()).orElse(REQUESTS);
        return found.filter(worthwhile).map(this::smallest);
    }

    private Optional<Difference> play(Profile profile, long seed, Scene scene, List<FuzzRequest> requests) {
        set(profile, scene);
        var user = profile.isAnonymous() ? "" : profile.user();
        for (int i = 0; i < requests.size(); i++) {
            var request = requests.get(i);
            left.send(request, user);
            right.send(request, user);
            var one = left.receive();
            var other = right.receive();
            if (!one.text().equals(other.text())) {
                return Optional.of(new Difference(
                        profile, seed, List.copyOf(requests.subList(0, i + 1)), scene, one.text(), other.text()));
            }
            tally.count(profile, request, one.status());
            if (!request.isRead() && request.path().matches("/[a-z0-9.]+(/_indexes.*)?") && one.status() / 100 == 2) {
                ready.remove(name(profile, scene));
            }
            if (one.status() / 100 == 2 && !request.method().equals("OPTIONS") && JavaScript.isIn(request)) {
                return Optional.of(new Difference(
                        profile, seed, List.copyOf(requests.subList(0, i + 1)), scene, "000 JavaScript", one.text()));
            }
            if (one.status() == 0) {
                return Optional.of(new Difference(
                        profile, seed, List.copyOf(requests.subList(0, i + 1)), scene, one.text(), "the same"));
            }
        }
        return changed(profile, scene)
                .map(what -> new Difference(profile, seed, List.copyOf(requests), scene, "000 changed", what));
    }

    private void set(Profile profile, Scene scene) {
        var name = name(profile, scene);
        if (ready.add(name)) {
            leftWorld.create(name);
            rightWorld.create(name);
            announce(FuzzRequest.of("POST", "/ic?db=$DB&coll=" + name));
        }
        leftWorld.put(name, scene.left());
        rightWorld.put(name, scene.right());
        announce(FuzzRequest.of("DELETE", "/" + name + "/" + Scene.TOUCH));
        left.forget();
        right.forget();
    }

    private String name(Profile profile, Scene scene) {
        return profile.collection(number) + (scene.files() ? ".files" : "");
    }

    private void announce(FuzzRequest request) {
        left.send(request, "admin");
        right.send(request, "admin");
        var answers = List.of(left.receive(), right.receive());
        if (answers.stream().anyMatch(answer -> answer.status() / 100 != 2)) {
            throw new IllegalStateException(request.target() + " " + answers);
        }
    }

    /// What is not as it was, though the caller may not change it.
    private Optional<String> changed(Profile profile, Scene scene) {
        var filter = profile.mayNotChange();
        if (filter == null) {
            return Optional.empty();
        }
        var name = name(profile, scene);
        return changed(profile, leftWorld.find(name, filter), scene.left())
                .or(() -> changed(profile, rightWorld.find(name, filter), scene.right()));
    }

    private static Optional<String> changed(Profile profile, List<BsonDocument> after, List<BsonDocument> before) {
        var ids = new java.util.HashMap<org.bson.BsonValue, BsonDocument>();
        after.forEach(document -> ids.put(document.get("_id"), document));
        for (var document : before) {
            if (Scope.contains(profile, document)) {
                var now = ids.remove(document.get("_id"));
                if (!document.equals(now)) {
                    return Optional.of("was " + document.toJson() + "\nis " + (now == null ? "gone" : now.toJson()));
                }
            }
        }
        return profile.mayNotAdd() && !ids.isEmpty()
                ? Optional.of("new " + ids.values().iterator().next().toJson())
                : Optional.empty();
    }

    private Difference smallest(Difference found) {
        var best = found;
        int trials = 0;
        boolean smaller = true;
        while (smaller && trials < MAX_TRIALS) {
            smaller = false;
            for (var candidate : candidates(best.requests())) {
                if (++trials > MAX_TRIALS) {
                    break;
                }
                var again = play(best.profile(), best.seed(), best.scene(), candidate);
                if (again.isPresent()
                        && again.get().requests().size() <= candidate.size()
                        && again.get().left().substring(0, 3).equals(best.left().substring(0, 3))) {
                    best = again.get();
                    smaller = true;
                    break;
                }
            }
        }
        return best;
    }

    private static List<List<FuzzRequest>> candidates(List<FuzzRequest> requests) {
        var all = new ArrayList<List<FuzzRequest>>();
        int size = requests.size();
        if (size > 1) {
            all.add(requests.subList(size - 1, size));
            all.add(requests.subList(size / 2, size));
            for (int i = size - 2; i >= 0; i--) {
                var fewer = new ArrayList<>(requests);
                fewer.remove(i);
                all.add(fewer);
            }
            if (requests.size() > 1) {
                all.add(requests.subList(0, size - 1));
            }
        }
        for (int i = size - 1; i >= 0; i--) {
            for (var less : requests.get(i).smaller()) {
                var changed = new ArrayList<>(requests);
                changed.set(i, less);
                all.add(changed);
            }
        }
        return all;
    }

    @Override
    public void close() {
        left.close();
        right.close();
    }

    /// Which documents of a scene the caller may not change: those it made so.
    private static final class Scope {
        static boolean contains(Profile profile, BsonDocument document) {
            return profile.mayNotChange().isEmpty() || document.get("owner").equals(new org.bson.BsonString("yuri"));
        }
    }
}
