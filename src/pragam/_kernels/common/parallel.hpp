// Several threads for loops whose chunks are independent of each other.
#pragma once

#include <algorithm>
#include <memory>

#include "common/kernel.hpp"

namespace pragam {

// The number of threads, out of those asked for, that pay for a loop over this many entries: one for each 2^18 of them.
// They take some 0.25 ms; a thread is created in 10 to 25 microseconds, and on an idle processor begins 20 to 60 later.
inline std::int64_t worthwhile(std::int64_t threads, std::int64_t entries) {
    return std::max<std::int64_t>(1, std::min(threads, entries >> 18));
}

// How many parts of a sum over this many entries, with `length` results, are summed separately. They are few enough that
// their own sums cost little beside the entries. They depend on the sizes alone, and so does the order of summation.
inline std::int64_t parts_of(std::int64_t entries, std::int64_t length) {
    constexpr std::int64_t most = 16, small = std::int64_t(1) << 18;
    if (entries < small) return 1;
    return std::max<std::int64_t>(1, std::min(most, entries / (64 * std::max<std::int64_t>(length, 1))));
}

// The body of a loop, body(number, pulse), wherever it lives. So loops are compiled once, for all bodies.
class Body {
  public:
    template <class F>
    Body(const F &body)
        : context_(&body), call_([](const void *context, std::int64_t number, Pulse &pulse) {
              (*static_cast<const F *>(context))(number, pulse);
          }) {}

    void operator()(std::int64_t number, Pulse &pulse) const { call_(context_, number, pulse); }

  private:
    const void *context_;
    void (*call_)(const void *, std::int64_t, Pulse &);
};

// Threads that work together many times within one kernel, on pieces too short to start a thread for. They wait for work
// by looking for it again and again, so a team lives no longer than its kernel. Nobody waits for a helper that has not
// come, neither during the work nor at its end: on a busy machine the calling thread does the work alone.
class Team {
  public:
    explicit Team(std::int64_t size);
    ~Team();
    Team(const Team &) = delete;
    Team &operator=(const Team &) = delete;

    // With the calling thread, which is worker 0.
    std::int64_t size() const { return size_; }

    // Calls body(worker, pulse) for worker 0 and those of the others who come while that lasts, and waits for them. So a
    // body takes pieces until none is left. The GIL must have been released.
    void run(Pulse &pulse, const Body &body);

  private:
    struct Room;
    std::shared_ptr<Room> room_;
    std::int64_t size_ = 1;

    static void help(Room &room, std::int64_t worker) noexcept;
};

// Calls body(chunk, pulse) for chunk = 0 .. chunks-1 on up to `threads` threads, including the calling one. The GIL must
// have been released. Which thread takes which chunk is random, but the result must not be. So if the bounds of chunks
// affect the bits, they depend on sizes alone, never on `threads`, and a body writes only to the memory of its chunk.
// The first exception ends the loop. No thread is kept between calls, so a process can be forked at any time.
void parallel_for(std::int64_t chunks, std::int64_t threads, const Body &body);

}  // namespace pragam
