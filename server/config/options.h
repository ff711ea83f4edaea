/* Everything configurable: one table (options.c) makes the flag, the ARMDYN_* variable and the line of
 * `armdyn serve --help`. To add an option: a field here and a row there. A flag wins over the variable. */
#ifndef SERVER_CONFIG_OPTIONS_H
#define SERVER_CONFIG_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "armdyn/status.h"

struct options {
  char listen[128];            /* HOST:PORT, port 0 picks a free one */
  char data[1024];             /* directory */
  char store[1024];            /* address of PostgreSQL; "" = the file in `data` */
  char node_address[192];      /* HOST:PORT where other nodes at that store reach this one; "" = it has none */
  char tls_certificate[1024];  /* PEM file; "" = no TLS */
  char tls_key[1024];          /* its key */
  char admin_key_file[1024];   /* "" = none: loopback only, everything allowed */
  char log_level[16];          /* debug, info, warning, error */
  char host_names[1024];       /* names of this service; "" = only those of loopback */
  char trusted_proxies[1024];  /* addresses and ranges; "" = none */
  char forwarded_header[32];   /* x-forwarded-for, forwarded */
  char webhook_networks[1024]; /* addresses and ranges; "" = all but private ones */
  char webhook_ca[1024];       /* PEM file; "" = the authorities of the system */
  char mqtt_broker[1024];      /* URL; "" = MQTT is off */
  char mqtt_ca[1024];          /* PEM file; "" = the authorities of the system */
  char mqtt_user[256];         /* "" = none */
  char mqtt_password_file[1024];
  char mqtt_topic_prefix[65];   /* levels of topics */
  long webhook_retry;           /* s before a second attempt */
  long http_threads;            /* 0 = max(10, cores) */
  long compute_threads;         /* 0 = cores */
  long workers;                 /* worker processes; 0 = cores */
  long worker_memory;           /* MiB of each; 0 = no limit */
  long job_cpu_time;            /* s of an attempt at a job; 0 = no limit */
  long keep_orders;             /* days that ended orders are kept; 0 = for ever */
  long keep_jobs;               /* days that ended jobs and their results are kept; 0 = for ever */
  long keep_alarms;             /* days that cleared alarms are kept; 0 = for ever */
  long disk_low;                /* MiB left on the disk of the store, below which that is an alarm; 0 = never */
  long disk_slow;               /* s that a write may take, before that is an alarm; 0 = any time */
  char watch_controllers[8];    /* on, off */
  long body_timeout;            /* s for a whole request to arrive */
  long upload_limit;            /* MiB of one data set's upload */
  long upload_cpu_time;         /* s of the processor that it may take; 0 = no limit */
  long upload_threads;          /* that read uploads */
  long idle_timeout;            /* s that a connection is kept without a request, or with an answer that nobody takes */
  long connections_per_address; /* 0 = no limit; -1 = 200 off loopback */
  bool own_address_is_free;     /* from that, because it was left open (options_settle) */
  long streams_per_key;         /* of events; 0 = no limit; -1 = 50 off loopback */
  long waiting_jobs;            /* that are taken in all, running ones among them */
  long waiting_jobs_per_key;    /* 0 = no limit; -1 = 400 off loopback */
  long running_jobs_per_key;    /* 0 = no limit; -1 = all workers but one off loopback */
  long stop_timeout;            /* s for a graceful stop */
  long child_silence;           /* s without an answer after which gateway or worker is taken for dead */
  long job_stall;               /* s without progress after which a worker is; 0 = as its kind of job has it */
  char on_server_loss[16];      /* stop, finish */
};

/* Defaults, then the environment, then the flags of argv[1..]. EINPUT: the message names the flag or variable, and the
 * value. */
enum armdyn_status options_parse(int argc, char **argv, struct options *options, struct armdyn_error *error);
void options_help(void); /* to standard output */
/* Numbers that were left open become what holds here. */
void options_settle(struct options *options, bool loopback, long cores);
/* Those that are numbers, as they are in force; none: there is no such limit. */
void options_numbers(const struct options *options,
                     void (*visit)(void *context, const char *flag, long value, bool none), void *context);
/* One line for each option, for tests: flag, variable, default. */
void options_list(void (*visit)(void *context, const char *flag, const char *variable, const char *standard),
                  void *context);

#endif
