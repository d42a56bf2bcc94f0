/* SPDX-License-Identifier: Apache-2.0
 * A node on Cyclone DDS that speaks as ROS 2 does: takes /points, publishes the first half of each
 * as /filtered, listens to /tf_static and /clock, provides /points_filter/enable and calls /lookup
 * with every tenth cloud. It prints what it got at its end (SIGINT or SIGTERM).
 *
 *   points_filter [--silent] [--whole] [--lossy]
 *     --silent   without announcement, as a program that is not ROS 2's
 *     --whole    /filtered is all of /points
 *     --lossy    /points and /filtered are best effort
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "messages.h"
#include "ros_node.h"

static const char points_hash[] =
    "RIHS01_9198cabf7da3796ae6fe19c4cb3bdd3525492988c70522628af5daa124bae2b5";
static const struct ros_qos usual = {.reliable = true, .depth = 10};

static volatile sig_atomic_t ended;

static void end(int signal) {
  (void)signal;
  ended = 1;
}

struct filter {
  struct ros_node node;
  dds_entity_t points, transforms, clock, filtered;
  dds_entity_t enable_requests, enable_replies, lookup_requests, lookup_replies;
  bool enabled, whole, lossy;
  long long points_count, transforms_count, clock_count, calls, replies;
};

/* One message of the reader, to be given back by `dds_return_loan`; NULL where there is none. */
static void* take(dds_entity_t reader) {
  void* message = NULL;
  dds_sample_info_t info;
  while (dds_take(reader, &message, &info, 1, 1) == 1) {
    if (info.valid_data) return message;
    dds_return_loan(reader, &message, 1);
    message = NULL;
  }
  return NULL;
}

static void look_up(struct filter* filter) {
  std_srvs_srv_dds__Trigger_Request_ request = {.client = (uint64_t)getpid(),
                                                .call = ++filter->calls};
  dds_write(filter->lookup_requests, &request);
}

static void on_points(struct filter* filter) {
  sensor_msgs_msg_dds__PointCloud2_* cloud;
  while ((cloud = take(filter->points)) != NULL) {
    if (filter->points_count++ % 10 == 0) look_up(filter);
    if (filter->enabled) {
      sensor_msgs_msg_dds__PointCloud2_ half = *cloud;
      half.width = filter->whole ? cloud->width : cloud->width / 2;
      half.data._length = half.width * half.point_step;
      if (half.data._length <= cloud->data._length) dds_write(filter->filtered, &half);
    }
    dds_return_loan(filter->points, (void**)&cloud, 1);
  }
}

static void count(dds_entity_t reader, long long* counter) {
  void* message;
  while ((message = take(reader)) != NULL) {
    ++*counter;
    dds_return_loan(reader, &message, 1);
  }
}

static void on_enable(struct filter* filter) {
  std_srvs_srv_dds__SetBool_Request_* request;
  while ((request = take(filter->enable_requests)) != NULL) {
    char message[] = "done";
    filter->enabled = request->data;
    std_srvs_srv_dds__SetBool_Response_ reply = {
        .client = request->client, .call = request->call, .success = true, .message = message};
    dds_write(filter->enable_replies, &reply);
    dds_return_loan(filter->enable_requests, (void**)&request, 1);
  }
}

static void on_lookup(struct filter* filter) {
  std_srvs_srv_dds__Trigger_Response_* reply;
  while ((reply = take(filter->lookup_replies)) != NULL) {
    if (reply->client == (uint64_t)getpid()) {
      ++filter->replies;
      printf("lookup %lld: %s\n", (long long)reply->call, reply->message);
      fflush(stdout);
    }
    dds_return_loan(filter->lookup_replies, (void**)&reply, 1);
  }
}

static void create(struct filter* filter) {
  struct ros_node* const node = &filter->node;
  const struct ros_qos latched = {.reliable = true, .transient_local = true, .depth = 1};
  const struct ros_qos lossy = {.reliable = false, .depth = 5};
  const struct ros_qos points = filter->lossy ? lossy : usual;
  ros_node_create(node, "points_filter");
  filter->points =
      ros_reader(node, "rt/points", &sensor_msgs_msg_dds__PointCloud2__desc, points_hash, points);
  filter->transforms =
      ros_reader(node, "rt/tf_static", &tf2_msgs_msg_dds__TFMessage__desc, NULL, latched);
  filter->clock = ros_reader(node, "rt/clock", &rosgraph_msgs_msg_dds__Clock__desc, NULL, lossy);
  filter->filtered =
      ros_writer(node, "rt/filtered", &sensor_msgs_msg_dds__PointCloud2__desc, points_hash, points);
  filter->enable_requests = ros_reader(node, "rq/points_filter/enableRequest",
                                       &std_srvs_srv_dds__SetBool_Request__desc, NULL, usual);
  filter->enable_replies = ros_writer(node, "rr/points_filter/enableReply",
                                      &std_srvs_srv_dds__SetBool_Response__desc, NULL, usual);
  filter->lookup_requests =
      ros_writer(node, "rq/lookupRequest", &std_srvs_srv_dds__Trigger_Request__desc, NULL, usual);
  filter->lookup_replies =
      ros_reader(node, "rr/lookupReply", &std_srvs_srv_dds__Trigger_Response__desc, NULL, usual);
}

static void run(struct filter* filter) {
  const dds_entity_t waitset = dds_create_waitset(filter->node.participant);
  for (size_t i = 0; i < filter->node.reader_count; ++i) {
    const dds_entity_t reader = filter->node.readers[i];
    dds_waitset_attach(waitset, dds_create_readcondition(reader, DDS_ANY_STATE), 0);
  }
  while (!ended) {
    dds_waitset_wait(waitset, NULL, 0, DDS_MSECS(50));
    count(filter->transforms, &filter->transforms_count);
    count(filter->clock, &filter->clock_count);
    on_points(filter);
    on_enable(filter);
    on_lookup(filter);
  }
}

int main(int argc, char** argv) {
  struct filter filter = {.enabled = true};
  signal(SIGINT, end);
  signal(SIGTERM, end);
  bool silent = false;
  for (int i = 1; i < argc; ++i) {
    silent |= strcmp(argv[i], "--silent") == 0;
    filter.whole |= strcmp(argv[i], "--whole") == 0;
    filter.lossy |= strcmp(argv[i], "--lossy") == 0;
  }
  create(&filter);
  if (!silent) ros_node_announce(&filter.node);
  printf("ready\n");
  fflush(stdout);
  run(&filter);
  printf("points %lld tf_static %lld clock %lld replies %lld\n", filter.points_count,
         filter.transforms_count, filter.clock_count, filter.replies);
  dds_delete(filter.node.participant);
  return 0;
}
