// Several threads for loops whose chunks are independent of each other.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

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

// The state that the threads of one loop share. A helper joins by `enter` and leaves by `leave`. `close` waits for the
// helpers that have joined. A helper that starts later, on a busy machine, cannot join, so nobody waits for it.
class Crew {
  public:
    std::atomic<std::int64_t> next{0};
    std::atomic<bool> stop{false};
    std::exception_ptr error;  // the first; set by whoever sets `stop`

    bool enter() {
        std::lock_guard<std::mutex> lock(mutex_);
        if (closed_) return false;
        ++inside_;
        return true;
    }

    void leave() {
        std::lock_guard<std::mutex> lock(mutex_);
        --inside_;
        empty_.notify_one();
    }

    void close() {
        std::unique_lock<std::mutex> lock(mutex_);
        closed_ = true;
        empty_.wait(lock, [this] { return inside_ == 0; });
    }

  private:
    std::mutex mutex_;
    std::condition_variable empty_;
    std::int64_t inside_ = 0;
    bool closed_ = false;
};

// Threads that work together many times within one kernel, on pieces too short to start a thread for. They wait for work
// by looking for it again and again, so a team lives no longer than its kernel. Nobody waits for a helper that has not
// come, neither during the work nor at its end: on a busy machine the calling thread does the work alone.
class Team {
  public:
    explicit Team(std::int64_t size) {
        if (size <= 1) return;
        room_ = std::make_shared<Room>();
        try {
            for (; size_ < size; ++size_) std::thread([room = room_, worker = size_] { help(*room, worker); }).detach();
        } catch (const std::system_error &) {  // no more threads available; the existing ones do the work
        }
    }
    ~Team() {
        if (room_) room_->stop = true;
    }
    Team(const Team &) = delete;
    Team &operator=(const Team &) = delete;

    // With the calling thread, which is worker 0.
    std::int64_t size() const { return size_; }

    // Calls body(worker, pulse) for worker 0 and those of the others who come while that lasts, and waits for them. So a
    // body takes pieces until none is left. The GIL must have been released.
    template <class Body>
    void run(Pulse &pulse, const Body &body) {
        if (size_ == 1) return body(0, pulse);
        Room &room = *room_;
        room.context = &body;
        room.call = [](const void *body, std::int64_t worker, Pulse &own) {
            (*static_cast<const Body *>(body))(worker, own);
        };
        ++room.round;  // odd: open
        std::exception_ptr error;
        try {
            body(0, pulse);
        } catch (...) {
            error = std::current_exception();
        }
        ++room.round;
        for (int looks = 0; room.inside > 0; ++looks)
            if (looks > patience) std::this_thread::yield();
        if (!error) error = room.error;
        if (error) std::rethrow_exception(error);
    }

  private:
    static constexpr int patience = 4096;  // looks before others may have the processor

    // What the helpers see. It is theirs too: one that starts late finds it after the team has gone.
    struct Room {
        std::atomic<std::int64_t> round{0}, inside{0};
        std::atomic<bool> stop{false}, failed{false};
        const void *context = nullptr;
        void (*call)(const void *, std::int64_t, Pulse &) = nullptr;
        std::exception_ptr error;  // the first of a helper
    };
    std::shared_ptr<Room> room_;
    std::int64_t size_ = 1;

    static void help(Room &room, std::int64_t worker) noexcept {
        Pulse pulse(&room.stop);
        std::int64_t seen = 0;
        for (int looks = 0; !room.stop; ++looks) {
            const std::int64_t round = room.round;
            if (round % 2 == 0 || round == seen) {
                if (looks > patience) std::this_thread::yield();
                continue;
            }
            looks = 0;
            seen = round;
            ++room.inside;
            if (room.round == round) {  // still open: the caller will see that somebody is inside, and wait
                try {
                    room.call(room.context, worker, pulse);
                } catch (...) {
                    if (!room.failed.exchange(true)) room.error = std::current_exception();
                }
            }
            --room.inside;
        }
    }
};

// Calls body(chunk, pulse) for chunk = 0 .. chunks-1 on up to `threads` threads, including the calling one. The GIL must
// have been released. Which thread takes which chunk is random, but the result must not be. So if the bounds of chunks
// affect the bits, they depend on sizes alone, never on `threads`, and a body writes only to the memory of its chunk.
// The first exception ends the loop. No thread is kept between calls, so a process can be forked at any time.
template <class Body>
void parallel_for(std::int64_t chunks, std::int64_t threads, const Body &body) {
    const auto crew = std::make_shared<Crew>();
    const auto work = [&body, chunks](Crew &crew, Pulse pulse) noexcept {
        try {
            while (!crew.stop) {
                const std::int64_t chunk = crew.next++;
                if (chunk >= chunks) return;
                body(chunk, pulse);
            }
        } catch (...) {
            if (!crew.stop.exchange(true)) crew.error = std::current_exception();
        }
    };
    const auto help = [crew, work] {
        if (!crew->enter()) return;
        work(*crew, Pulse(&crew->stop));
        crew->leave();
    };
    try {
        for (std::int64_t k = 1; k < std::min(threads, chunks); ++k) std::thread(help).detach();
    } catch (const std::system_error &) {  // no more threads available; the existing ones do the work
    }
    work(*crew, Pulse());
    crew->close();
    if (crew->error) std::rethrow_exception(crew->error);
}

}  // namespace pragam
