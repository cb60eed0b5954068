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

#include "common.hpp"

namespace pragam {

// The number of threads, out of those asked for, that pay for a loop over this many entries. With fewer than 2^20
// entries each, starting a thread costs more than it saves.
inline std::int64_t worthwhile(std::int64_t threads, std::int64_t entries) {
    return std::max<std::int64_t>(1, std::min(threads, entries >> 20));
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
