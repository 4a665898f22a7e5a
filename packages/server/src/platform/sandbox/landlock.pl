#!/usr/bin/perl
# Runs a program that sees and changes only what it is told, by means that every process has: Landlock
# (landlock(7)), a seccomp filter (read from descriptor 5), and limits. It needs no namespace and no
# privilege. Perl, because it is on every Debian system and can make system calls; see landlock.ts for
# who starts it, with what, and why each call is in the filter.
#
# landlock.pl [--uid N] [--processes N] [--read PATH] [--write PATH] [--env NAME=VALUE] -- PROGRAM ARGUMENT…
#
# The process itself stays outside as a guard: orphans come to it, it ends with the program, and
# whatever the program has left ends before. It tells the program's PID on descriptor 4.
use strict;
use warnings;
use POSIX ();

my %number = (
  x86_64  => { openat => 257, prctl => 157, prlimit => 302, waitid => 247 },
  aarch64 => { openat => 56, prctl => 167, prlimit => 261, waitid => 95 },
);
# The same on every processor.
my %landlock = (create_ruleset => 444, add_rule => 445, restrict_self => 446);
# linux/prctl.h
my %option = (PDEATHSIG => 1, SECCOMP => 22, NO_NEW_PRIVS => 38, CHILD_SUBREAPER => 36);
my $call = $number{ (POSIX::uname())[4] } or fail("this processor is not supported");

# linux/landlock.h, in the order of the interface's versions.
my $execute = 1 << 0;
my $write_file = 1 << 1;
my $read_file = 1 << 2;
my $read_folder = 1 << 3;
my $truncate = 1 << 14;
my $of_files = $execute | $write_file | $read_file | $truncate;
my $make_special = (1 << 6) | (1 << 9) | (1 << 10) | (1 << 11);
# Renaming to another folder (2), truncating (3), TCP (4), devices (5), signals and abstract sockets (6).
my @rights = (0, (1 << 13) - 1, (1 << 14) - 1, (1 << 15) - 1, (1 << 15) - 1, (1 << 16) - 1);

sub fail {
  my ($reason) = @_;
  print STDERR "$reason\n";
  POSIX::_exit(125);
}

sub control {
  my ($name, @values) = @_;
  push @values, 0 while @values < 4;
  syscall($call->{prctl}, $option{$name}, @values) == 0 or fail("prctl $name: $!");
}

sub options {
  my %given = (uid => undef, processes => undef, read => [], write => [], env => []);
  while (@ARGV) {
    my $name = shift @ARGV;
    last if $name eq '--';
    $name =~ s/^--//;
    exists $given{$name} or fail("unknown option $name");
    my $value = shift @ARGV;
    ref $given{$name} ? push @{ $given{$name} }, $value : ($given{$name} = $value);
  }
  return %given;
}

sub become {
  my ($uid) = @_;
  $) = "$uid $uid";
  POSIX::setgid($uid) && POSIX::setuid($uid) or fail("can't become user $uid: $!");
  $> == $uid && $< == $uid && $( == $uid or fail("can't become user $uid");
}

sub set_limit {
  my ($soft, $hard) = @_;
  my $limit = pack('QQ', $soft, $hard);
  syscall($call->{prlimit}, 0, 6, $limit, 0) == 0 or fail("prlimit: $!");
}

sub can_fork {
  my $pid = fork() // return 0;
  POSIX::_exit(0) if $pid == 0;
  waitpid($pid, 0);
  return 1;
}

# The kernel counts processes for the user, on all of the machine: those that it has already come on top.
# /proc doesn't show those in other containers, so the count is the least limit with which a fork succeeds.
sub limit_processes {
  my ($most) = @_;
  my $old = "\0" x 16;
  syscall($call->{prlimit}, 0, 6, 0, $old) == 0 or fail("prlimit: $!");
  my (undef, $hard) = unpack('QQ', $old);
  my ($low, $high) = (0, 64);
  while (1) {
    $high = $hard if $high > $hard;
    set_limit($high, $hard);
    last if can_fork();
    fail('the user has as many processes as it may') if $high >= $hard;
    ($low, $high) = ($high, 2 * $high);
  }
  while ($high - $low > 1) {
    my $middle = $low + (($high - $low) >> 1);
    set_limit($middle, $hard);
    can_fork() ? ($high = $middle) : ($low = $middle);
  }
  # $high is one more than there are.
  my $limit = $high - 1 + $most;
  $limit = $hard if $limit > $hard;
  set_limit($limit, $limit);
}

sub allow {
  my ($ruleset, $path, $rights) = @_;
  my $name = "$path\0";
  # O_PATH | O_CLOEXEC; what isn't there needs no rule.
  my $descriptor = syscall($call->{openat}, -100, $name, 0x200000 | 0x80000, 0);
  return if $descriptor < 0;
  $rights &= $of_files unless -d $path;
  my $rule = pack('Ql', $rights, $descriptor);
  syscall($landlock{add_rule}, $ruleset, 1, $rule, 0) == 0 or fail("landlock: $path: $!");
  POSIX::close($descriptor);
}

sub restrict_files {
  my (%given) = @_;
  my $version = syscall($landlock{create_ruleset}, 0, 0, 1);
  $version >= 3 or fail('the kernel has no Landlock, or one that is too old (Linux 6.2 or newer)');
  my $handled = $rights[$version > 5 ? 5 : $version];
  # Anything to do with TCP; anything outside for abstract sockets and signals.
  my $attributes = pack('QQQ', $handled, 3, 3);
  my $size = $version < 4 ? 8 : $version < 6 ? 16 : 24;
  my $ruleset = syscall($landlock{create_ruleset}, $attributes, $size, 0);
  $ruleset >= 0 or fail("landlock: $!");
  my $reading = $read_file | $read_folder;
  # A process may look at itself: the runtime does.
  allow($ruleset, $_, $reading | $execute) for @{ $given{read} }, "/proc/$$";
  allow($ruleset, $_, $handled & ~$execute & ~$make_special) for @{ $given{write} };
  allow($ruleset, '/dev/null', $read_file | $write_file | $truncate);
  control('NO_NEW_PRIVS', 1);
  syscall($landlock{restrict_self}, $ruleset, 0) == 0 or fail("landlock: $!");
  POSIX::close($ruleset);
}

sub filter_calls {
  my ($filter) = @_;
  my $program = pack('Sx6P', length($filter) / 8, $filter);
  control('SECCOMP', 2, $program);
}

sub run {
  my ($filter, %given) = @_;
  my $guard = getppid();
  # The guard ends a whole group, which nothing inside can leave.
  POSIX::setpgid(0, 0);
  control('PDEATHSIG', POSIX::SIGKILL());
  POSIX::_exit(125) if getppid() != $guard;
  limit_processes($given{processes}) if defined $given{processes};
  %ENV = map { split /=/, $_, 2 } @{ $given{env} };
  restrict_files(%given);
  filter_calls($filter);
  exec { $ARGV[0] } @ARGV or fail("$ARGV[0]: $!");
}

my $starter = getppid();
my %given = options();
open(my $source, '<&=', 5) or fail("descriptor 5: $!");
binmode $source;
my $filter = do { local $/; <$source> };
close $source;
length($filter // '') >= 8 or fail('there is no filter for this processor');

become($given{uid}) if defined $given{uid};
control('NO_NEW_PRIVS', 1);
control('CHILD_SUBREAPER', 1);

my $program = 0;
sub end_all { kill 'KILL', -$program, $program if $program > 0; }
$SIG{TERM} = $SIG{HUP} = $SIG{INT} = sub { end_all(); };
control('PDEATHSIG', POSIX::SIGTERM());
exit 125 if getppid() != $starter;

$program = fork() // fail("fork: $!");
if ($program == 0) {
  $SIG{$_} = 'DEFAULT' for qw(TERM HUP INT);
  POSIX::close(4);
  run($filter, %given);
}
end_all() if getppid() != $starter;
# Only the program itself keeps these open: its end is seen by who reads them.
POSIX::close($_) for 0, 1, 3;
tell_pid($program);

sub tell_pid {
  my ($pid) = @_;
  open(my $info, '>&=', 4) or return;
  syswrite $info, "{\"child-pid\": $pid}\n";
  close $info;
}

# The child that has ended next, not reaped yet: until then nothing else gets its number.
sub next_ended {
  my $info = "\0" x 128;
  # P_ALL; WEXITED | WNOWAIT; the PID is at byte 16 of siginfo_t.
  until (syscall($call->{waitid}, 0, 0, $info, 0x1000004, 0) == 0) {
    return 0 if $! == POSIX::ECHILD();
  }
  return unpack('x16l', $info);
}

my $status = 0;
while (my $ended = next_ended()) {
  kill 'KILL', -$program if $ended == $program;
  waitpid($ended, 0);
  $status = $? if $ended == $program;
  # What came from the program's group has been killed with it.
  $program = 0 if $ended == $program;
}
exit(($status & 127) ? 128 + ($status & 127) : $status >> 8);
