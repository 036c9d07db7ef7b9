# The libraries that operator projects link by name.
set(api ${CMAKE_CURRENT_SOURCE_DIR}/api)
softhccl_facade(acl_rt SOURCES ${api}/acl_base.cc ${api}/acl_callback.cc ${api}/acl_context.cc ${api}/acl_copy.cc
                               ${api}/acl_count_notify.cc ${api}/acl_described.cc
                               ${api}/acl_device.cc ${api}/acl_device_limits.cc ${api}/acl_device_properties.cc
                               ${api}/acl_event.cc ${api}/acl_exception.cc ${api}/acl_fill.cc ${api}/acl_graph.cc
                               ${api}/acl_graph_build.cc ${api}/acl_graph_task.cc
                               ${api}/acl_host_memory.cc ${api}/acl_init.cc ${api}/acl_ipc.cc ${api}/acl_kernel.cc
                               ${api}/acl_kernel_args.cc ${api}/acl_launch.cc ${api}/acl_memory.cc
                               ${api}/acl_notify.cc ${api}/acl_reduce.cc ${api}/acl_settings.cc
                               ${api}/acl_stream.cc ${api}/acl_stream_attributes.cc ${api}/acl_value.cc
                               ${api}/acl_virtual_memory.cc
                               ${api}/not_supported/acl.cc
                       LIBRARIES nlohmann_json::nlohmann_json)
# What kernels and host code call alike.
set(data_plane ${api}/hccl_diag.cc ${api}/hccl_rank_graph.cc ${api}/hccl_sym_win.cc ${api}/hcomm_completion.cc
               ${api}/hcomm_launch_context.cc ${api}/hcomm_notify.cc ${api}/hcomm_task_cache.cc ${api}/hcomm_transfer.cc
               ${api}/not_supported/data_plane.cc ${api}/not_supported/diagnostics.cc ${api}/hccl_comm_shared.cc)
softhccl_facade(hcomm SOURCES ${api}/comm_config.cc ${api}/hccl_barrier.cc ${api}/hccl_channel.cc ${api}/hccl_comm.cc
                      ${api}/hccl_comm_query.cc
                      ${api}/hccl_comm_state.cc ${api}/hccl_launch.cc ${api}/hccl_resource.cc ${api}/hccl_team.cc ${api}/hccl_thread.cc
                      ${api}/hccl_window.cc ${api}/not_supported/hccl_comm_graph.cc
                      ${api}/hcomm_channel.cc ${api}/hcomm_endpoint.cc ${api}/hcomm_thread.cc ${data_plane}
                      ${api}/not_supported/ccu.cc ${api}/not_supported/communicator.cc
                      ${api}/not_supported/host_tasks.cc LIBRARIES acl_rt)
softhccl_facade(ccl_kernel SOURCES ${data_plane})
softhccl_facade(hccl SOURCES ${api}/not_supported/collectives.cc LIBRARIES hcomm)
softhccl_facade(runtime SOURCES ${api}/rt_external.cc)
# The call that a lowered kernel<<<...>>> is.
softhccl_facade(ascendc_runtime SOURCES ${api}/aicpu_launch.cc)
# Projects name these at link time and call nothing of them.
foreach(name profapi ascendalog error_manager ascend_dump)
  add_library(${name} SHARED ${api}/nothing.c)
endforeach()
