package org.restheart.core.noninterference;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.bson.BsonDocument;

/// Runs test cases against both instances: an initial state, then requests one after the other. Each worker has its
/// own collections.
final class FuzzWorker implements AutoCloseable {
    private static final int REQUESTS = 40;

    /// Of making a counterexample smaller.
    static final int MAX_TRIALS = 150;

    /// Paths below a collection that change more than documents.
    private static final String INDEXES = "/_(indexes|validator).*";

    private final int number;
    private final GatewayInstance leftInstance;
    private final GatewayInstance rightInstance;
    private final FuzzClient left;
    private final FuzzClient right;
    private final Set<String> ready = new HashSet<>();
    private final Predicate<Counterexample> shrinkIf;
    private final int maxTrials;
    private final StatusCounts statusCounts;
    private long sent;

    /// @param shrinkIf selects the counterexamples that are shrunk and reported
    /// @param maxTrials of making one smaller
    FuzzWorker(
            int number,
            GatewayInstance leftInstance,
            GatewayInstance rightInstance,
            Predicate<Counterexample> shrinkIf,
            int maxTrials,
            StatusCounts statusCounts) {
        this.maxTrials = maxTrials;
        this.statusCounts = statusCounts;
        this.shrinkIf = shrinkIf;
        this.number = number;
        this.leftInstance = leftInstance;
        this.rightInstance = rightInstance;
        left = new FuzzClient(leftInstance);
        right = new FuzzClient(rightInstance);
    }

    /// Requests to each instance, except those of shrinking.
    long sent() {
        return sent;
    }

    /// The shrunk counterexample, if there is one.
    Optional<Counterexample> testCase(CallerProfile profile, long seed) {
        var random = new RandomSource(seed);
        var state = InitialState.of(profile, random);
        boolean files = profile.hasFiles() && random.percent(15);
        if (files) {
            state = state.asFiles();
        }
        var generator = new RequestGenerator(random, profile, number, files);
        var requests = new ArrayList<FuzzRequest>();
        for (int i = 0; i < REQUESTS; i++) {
            requests.add(generator.next());
        }
        var found = play(profile, seed, state, requests);
        sent += found.map(d -> d.requests().size()).orElse(REQUESTS);
        return found.filter(shrinkIf).map(this::shrink);
    }

    private Optional<Counterexample> play(
            CallerProfile profile, long seed, InitialState state, List<FuzzRequest> requests) {
        set(profile, state);
        var user = profile.isAnonymous() ? "" : profile.user();
        for (int i = 0; i < requests.size(); i++) {
            var request = requests.get(i);
            left.send(request, user);
            right.send(request, user);
            var one = left.receive();
            var other = right.receive();
            if (!one.text().equals(other.text())) {
                return Optional.of(new Counterexample(
                        profile, seed, List.copyOf(requests.subList(0, i + 1)), state, one.text(), other.text()));
            }
            statusCounts.count(profile, request, one.status());
            if (changesMetadata(request) && one.status() / 100 == 2) {
                ready.remove(name(profile, state));
            }
            if (one.status() / 100 == 2 && !request.method().equals("OPTIONS") && ScriptOperators.isIn(request)) {
                return Optional.of(new Counterexample(
                        profile, seed, List.copyOf(requests.subList(0, i + 1)), state, "000 SCRIPT", one.text()));
            }
            if (one.status() == 0) {
                return Optional.of(new Counterexample(
                        profile, seed, List.copyOf(requests.subList(0, i + 1)), state, one.text(), "the same"));
            }
        }
        return changed(profile, state)
                .map(what -> new Counterexample(profile, seed, List.copyOf(requests), state, "000 changed", what));
    }

    /// Whether the collection has to be created anew if this succeeds, which takes longer than dozens of requests.
    /// Documents are replaced in any case.
    private static boolean changesMetadata(FuzzRequest request) {
        return switch (request.method()) {
            case "GET", "HEAD", "OPTIONS" -> false;
            case "POST" -> request.path().matches("/[a-z0-9.]+" + INDEXES); // without: inserts
            default -> request.path().matches("/[a-z0-9.]+(" + INDEXES + ")?");
        };
    }

    private void set(CallerProfile profile, InitialState state) {
        var name = name(profile, state);
        if (ready.add(name)) {
            leftInstance.create(name);
            rightInstance.create(name);
            announce(FuzzRequest.of("POST", "/ic?db=$DB&coll=" + name));
        }
        leftInstance.put(name, state.left());
        rightInstance.put(name, state.right());
        announce(FuzzRequest.of("DELETE", "/" + name + "/" + InitialState.TOUCH));
        left.forget();
        right.forget();
    }

    private String name(CallerProfile profile, InitialState state) {
        return profile.collection(number) + (state.files() ? ".files" : "");
    }

    private void announce(FuzzRequest request) {
        left.send(request, "admin");
        right.send(request, "admin");
        var answers = List.of(left.receive(), right.receive());
        if (answers.stream().anyMatch(answer -> answer.status() / 100 != 2)) {
            throw new IllegalStateException(request.target() + " " + answers);
        }
    }

    /// A document that has changed although the caller may not change it.
    private Optional<String> changed(CallerProfile profile, InitialState state) {
        var filter = profile.mayNotChange();
        if (filter == null) {
            return Optional.empty();
        }
        var name = name(profile, state);
        return changed(profile, leftInstance.find(name, filter), state.left())
                .or(() -> changed(profile, rightInstance.find(name, filter), state.right()));
    }

    private static Optional<String> changed(
            CallerProfile profile, List<BsonDocument> after, List<BsonDocument> before) {
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

    private Counterexample shrink(Counterexample found) {
        var best = found;
        int trials = 0;
        boolean smaller = true;
        while (smaller && trials < maxTrials) {
            smaller = false;
            for (var candidate : Shrinker.shrink(best.requests())) {
                if (++trials > maxTrials) {
                    break;
                }
                var again = play(best.profile(), best.seed(), best.state(), candidate);
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

    @Override
    public void close() {
        left.close();
        right.close();
    }

    /// Selects the documents of an initial state that the caller may not change.
    private static final class Scope {
        static boolean contains(CallerProfile profile, BsonDocument document) {
            return profile.mayNotChange().isEmpty() || document.get("owner").equals(new org.bson.BsonString("yuri"));
        }
    }
}
