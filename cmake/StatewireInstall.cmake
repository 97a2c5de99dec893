include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

install(TARGETS statewire_core statewire EXPORT statewireTargets)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/statewire FILES_MATCHING PATTERN "*.h")
install(EXPORT statewireTargets NAMESPACE statewire:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/statewire)
configure_package_config_file(
    ${CMAKE_CURRENT_LIST_DIR}/statewireConfig.cmake.in ${PROJECT_BINARY_DIR}/statewireConfig.cmake
    INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/statewire)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/statewireConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES
    ${PROJECT_BINARY_DIR}/statewireConfig.cmake ${PROJECT_BINARY_DIR}/statewireConfigVersion.cmake
    ${CMAKE_CURRENT_LIST_DIR}/Findlz4.cmake
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/statewire)
if (TARGET statewire_program)
    install(TARGETS statewire_program)
endif ()
if (TARGET statewire_documentation)
    set(documentation_directory ${PROJECT_BINARY_DIR}/programs)
    install(FILES ${documentation_directory}/statewire.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
    install(FILES ${documentation_directory}/statewire.bash RENAME statewire
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
    install(FILES ${documentation_directory}/_statewire DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
endif ()
