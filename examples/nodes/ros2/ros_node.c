/* SPDX-License-Identifier: Apache-2.0 */
#include "ros_node.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "messages.h"

static dds_entity_t checked(dds_entity_t entity, const char* what) {
  if (entity < 0) {
    fprintf(stderr, "%s: %s\n", what, dds_strretcode(-entity));
    exit(1);
  }
  return entity;
}

static dds_qos_t* qos_of(struct ros_qos wanted, const char* type_hash) {
  dds_qos_t* const qos = dds_create_qos();
  dds_qset_reliability(
      qos, wanted.reliable ? DDS_RELIABILITY_RELIABLE : DDS_RELIABILITY_BEST_EFFORT, DDS_SECS(1));
  dds_qset_durability(
      qos, wanted.transient_local ? DDS_DURABILITY_TRANSIENT_LOCAL : DDS_DURABILITY_VOLATILE);
  dds_qset_history(qos, DDS_HISTORY_KEEP_LAST, wanted.depth);
  if (type_hash != NULL) {
    char data[128];
    const int size = snprintf(data, sizeof data, "typehash=%s;", type_hash);
    dds_qset_userdata(qos, data, (size_t)size);
  }
  return qos;
}

void ros_node_create(struct ros_node* node, const char* name) {
  static const char enclave[] = "enclave=/;";
  const char* const domain = getenv("ROS_DOMAIN_ID");
  dds_qos_t* const qos = dds_create_qos();
  dds_qset_userdata(qos, enclave, strlen(enclave));
  *node = (struct ros_node){.name = name};
  node->participant =
      checked(dds_create_participant(domain == NULL ? 0 : (dds_domainid_t)atoi(domain), qos, NULL),
              "participant");
  dds_delete_qos(qos);
}

static dds_entity_t topic(const struct ros_node* node, const char* name,
                          const dds_topic_descriptor_t* type) {
  return checked(dds_create_topic(node->participant, type, name, NULL, NULL), name);
}

dds_entity_t ros_reader(struct ros_node* node, const char* dds_topic,
                        const dds_topic_descriptor_t* type, const char* type_hash,
                        struct ros_qos wanted) {
  dds_qos_t* const qos = qos_of(wanted, type_hash);
  const dds_entity_t reader = checked(
      dds_create_reader(node->participant, topic(node, dds_topic, type), qos, NULL), dds_topic);
  dds_delete_qos(qos);
  node->readers[node->reader_count++] = reader;
  return reader;
}

dds_entity_t ros_writer(struct ros_node* node, const char* dds_topic,
                        const dds_topic_descriptor_t* type, const char* type_hash,
                        struct ros_qos wanted) {
  dds_qos_t* const qos = qos_of(wanted, type_hash);
  const dds_entity_t writer = checked(
      dds_create_writer(node->participant, topic(node, dds_topic, type), qos, NULL), dds_topic);
  dds_delete_qos(qos);
  node->writers[node->writer_count++] = writer;
  return writer;
}

static void gids(rmw_dds_common_msg_dds__Gid_* to, const dds_entity_t* from, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    dds_guid_t guid;
    checked(dds_get_guid(from[i], &guid), "GUID");
    memcpy(to[i].data, guid.v, sizeof to[i].data);
  }
}

void ros_node_announce(const struct ros_node* node) {
  rmw_dds_common_msg_dds__Gid_ readers[MOST_ENDPOINTS], writers[MOST_ENDPOINTS];
  gids(readers, node->readers, node->reader_count);
  gids(writers, node->writers, node->writer_count);
  char namespace[] = "/", name[64];
  snprintf(name, sizeof name, "%s", node->name);
  rmw_dds_common_msg_dds__NodeEntitiesInfo_ own = {
      .node_namespace = namespace,
      .node_name = name,
      .reader_gid_seq = {._length = (uint32_t)node->reader_count, ._buffer = readers},
      .writer_gid_seq = {._length = (uint32_t)node->writer_count, ._buffer = writers},
  };
  rmw_dds_common_msg_dds__ParticipantEntitiesInfo_ info = {
      .node_entities_info_seq = {._length = 1, ._buffer = &own},
  };
  gids(&info.gid, &node->participant, 1);
  dds_qos_t* const qos =
      qos_of((struct ros_qos){.reliable = true, .transient_local = true, .depth = 1}, NULL);
  const dds_entity_t writer = checked(
      dds_create_writer(
          node->participant,
          topic(node, "ros_discovery_info", &rmw_dds_common_msg_dds__ParticipantEntitiesInfo__desc),
          qos, NULL),
      "announcement");
  dds_delete_qos(qos);
  checked(dds_write(writer, &info), "announcement");
}
