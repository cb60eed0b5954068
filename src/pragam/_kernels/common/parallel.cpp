// Several threads for loops: see parallel.hpp.
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

#include "common/parallel.hpp"

namespace pragam {
namespace {

constexpr int patience = 4096;  // looks before others may have the processor

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

}  // namespace

// What the helpers see. It is theirs too: one that starts late finds it after the team has gone.
struct Team::Room {
    std::atomic<std::int64_t> round{0}, inside{0};
    std::atomic<bool> stop{false}, failed{false};
    const Body *body = nullptr;
    std::exception_ptr error;  // the first of a helper
};

Team::Team(std::int64_t size) {
    if (size <= 1) return;
    room_ = std::make_shared<Room>();
    try {
        for (; size_ < size; ++size_) std::thread([room = room_, worker = size_] { help(*room, worker); }).detach();
    } catch (const std::exception &) {  // no more threads, or no memory for one; the existing ones do the work
    }
}

Team::~Team() {
    if (room_) room_->stop = true;
}

void Team::run(Pulse &pulse, const Body &body) {
    if (size_ == 1) return body(0, pulse);
    Room &room = *room_;
    room.body = &body;
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

void Team::help(Room &room, std::int64_t worker) noexcept {
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
                (*room.body)(worker, pulse);
            } catch (...) {
                if (!room.failed.exchange(true)) room.error = std::current_exception();
            }
        }
        --room.inside;
    }
}

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
    } catch (const std::exception &) {  // no more threads, or no memory for one; the existing ones do the work
    }
    work(*crew, Pulse());
    crew->close();
    if (crew->error) std::rethrow_exception(crew->error);
}

}  // namespace pragam
