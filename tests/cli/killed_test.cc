// SPDX-License-Identifier: Apache-2.0
// A process that ends at any moment, as in a power cut, leaves each file old or new, never in part.
// `weft convert` is killed before every system call from the first one that opens a file to write.
#if defined(__linux__)

#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <map>

#include "tests/cli/command_fixture.h"
#include "tests/rounds.h"

namespace weft::cli {
namespace {

constexpr int kNotTracedCode = 99;

// Replaces this process by the command, traced by its parent.
[[noreturn]] void StartTraced(const std::string& folder, std::vector<std::string> arguments) {
  const int nowhere = open("/dev/null", O_WRONLY);
  setenv("ASAN_OPTIONS", "detect_leaks=0", 1);  // the leak check traces the process as well
  if (chdir(folder.c_str()) != 0 || dup2(nowhere, 1) < 0 || dup2(nowhere, 2) < 0) _exit(1);
  if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(kNotTracedCode);
  arguments.insert(arguments.begin(), WEFT_COMMAND);
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  execv(WEFT_COMMAND, pointers.data());
  _exit(1);
}

enum class End { kKilled, kEnded, kNotTraced };

bool OpensToWrite(const __ptrace_syscall_info& call) {
  return call.entry.nr == SYS_openat && (call.entry.args[2] & (O_WRONLY | O_RDWR | O_CREAT)) != 0;
}

// Runs the command, and kills it before a system call: number `calls` of those from the first one
// that opens a file to write.
End KillBefore(int calls, const std::string& folder, const std::vector<std::string>& arguments) {
  const pid_t process = fork();
  if (process == 0) StartTraced(folder, arguments);
  int status = 0, signal = 0;
  waitpid(process, &status, 0);
  if (WIFEXITED(status))
    return WEXITSTATUS(status) == kNotTracedCode ? End::kNotTraced : End::kEnded;
  ptrace(PTRACE_SETOPTIONS, process, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
  for (int counted = -1;;) {
    ptrace(PTRACE_SYSCALL, process, nullptr, signal);
    waitpid(process, &status, 0);
    if (!WIFSTOPPED(status)) {
      EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
      return End::kEnded;
    }
    const bool is_call = WSTOPSIG(status) == (SIGTRAP | 0x80);
    signal = is_call ? 0 : WSTOPSIG(status);
    __ptrace_syscall_info call;
    if (!is_call || ptrace(PTRACE_GET_SYSCALL_INFO, process, sizeof(call), &call) <= 0) continue;
    if (call.op != PTRACE_SYSCALL_INFO_ENTRY) continue;
    if (counted < 0 && !OpensToWrite(call)) continue;
    if (++counted < calls) continue;
    kill(process, SIGKILL);
    waitpid(process, &status, 0);
    return End::kKilled;
  }
}

class Killed : public CommandTest {
 protected:
  // Writes the files again, or removes them if there were none.
  void Restore(const std::map<std::string, std::string>& old) const {
    for (const std::string& name : Entries()) {
      if (name.starts_with("model.") && !old.contains(name)) continue;
      std::filesystem::remove(Path(name));
    }
    for (const auto& [name, text] : old) WriteText(name, text);
  }

  // Kills the command at every moment. `old` has the files before it, with any contents.
  void ExpectOldOrNew(const std::vector<std::string>& arguments, const Names& outputs,
                      const std::map<std::string, std::string>& old) const {
    std::map<std::string, std::string> changed;
    Restore(old);
    ASSERT_EQ(KillBefore(1 << 30, Path(""), arguments), End::kEnded);
    for (const std::string& name : outputs) changed[name] = Text(name);
    int calls = 0, kept = 0;
    for (End end = End::kKilled; end == End::kKilled; calls += kThinning) {
      Restore(old);
      end = KillBefore(calls, Path(""), arguments);
      for (const std::string& name : outputs) {
        const bool exists = std::filesystem::exists(Path(name));
        const bool is_old = old.contains(name) ? exists && Text(name) == old.at(name) : !exists;
        kept += is_old;
        EXPECT_TRUE(is_old || Text(name) == changed[name]) << name << " before call " << calls;
      }
    }
    EXPECT_GT(calls, 10);
    EXPECT_GT(kept, 0);
  }
};

TEST_F(Killed, LeavesEachFileOldOrNew) {
  WriteModel(kSum);
  if (KillBefore(0, Path(""), {"convert", "model.xml"}) == End::kNotTraced) {
    GTEST_SKIP() << "this system does not let a process trace another one";
  }
  const std::vector<std::string> one = {"convert", "model.xml", "-o", "y.weft"};
  const std::vector<std::string> two = {"convert", "model.xml",  "-o",
                                        "y.weft",  "--c-source", "y.c"};
  ExpectOldOrNew(one, {"y.weft"}, {});
  ExpectOldOrNew(one, {"y.weft"}, {{"y.weft", "old"}});
  ExpectOldOrNew(two, {"y.weft", "y.c"}, {});
  ExpectOldOrNew(two, {"y.weft", "y.c"}, {{"y.weft", "old"}, {"y.c", "older"}});
  ExpectOldOrNew(two, {"y.weft", "y.c"}, {{"y.c", "older"}});
}

}  // namespace
}  // namespace weft::cli

#endif  // linux
