/* SPDX-License-Identifier: Apache-2.0
 * What makes a Cyclone DDS participant a node of ROS 2: names, user data, announcement. */
#ifndef WIRECOST_EXAMPLES_ROS_NODE_H
#define WIRECOST_EXAMPLES_ROS_NODE_H

#include <stdbool.h>
#include <stddef.h>

#include "dds/dds.h"

enum { MOST_ENDPOINTS = 16 };

struct ros_node {
  const char* name; /* without namespace */
  dds_entity_t participant;
  dds_entity_t readers[MOST_ENDPOINTS], writers[MOST_ENDPOINTS];
  size_t reader_count, writer_count;
};

struct ros_qos {
  bool reliable, transient_local;
  int depth;
};

/* Joins the domain of ROS_DOMAIN_ID. All functions end the program where DDS refuses. */
void ros_node_create(struct ros_node* node, const char* name);
/* `type_hash` (RIHS01_…) may be NULL. */
dds_entity_t ros_reader(struct ros_node* node, const char* dds_topic,
                        const dds_topic_descriptor_t* type, const char* type_hash,
                        struct ros_qos qos);
dds_entity_t ros_writer(struct ros_node* node, const char* dds_topic,
                        const dds_topic_descriptor_t* type, const char* type_hash,
                        struct ros_qos qos);
/* Tells everybody which readers and writers are the node's. */
void ros_node_announce(const struct ros_node* node);

#endif
