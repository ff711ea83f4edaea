"""Who may call what is not merely read, kept by hand: the routes get their roles from the contract, which could be wrong.
Those marked "moves" let an arm move, and ask a key for that right beside its role."""

UNSAFE = """
viewer         POST   /v1/controllers/stop
viewer         POST   /v1/controllers/{controller}/stop
viewer         POST   /v1/transfers/{transfer}/stop
operator       POST   /v1/alarms/{alarm}/acknowledge
operator       POST   /v1/controllers/{controller}/clear
operator       POST   /v1/controllers/{controller}/dry-run
operator moves PUT    /v1/controllers/{controller}/part
operator moves POST   /v1/controllers/{controller}/queue/release
operator moves POST   /v1/controllers/{controller}/transfers
operator       POST   /v1/jobs/cancel
operator       POST   /v1/jobs/{job}/cancel
operator       POST   /v1/jobs/{job}/deliveries
operator       POST   /v1/robots/{robot}/base-parameters
operator       POST   /v1/robots/{robot}/clearance
operator       POST   /v1/robots/{robot}/code
operator       POST   /v1/robots/{robot}/collision-checks
operator       POST   /v1/robots/{robot}/coriolis
operator       POST   /v1/robots/{robot}/derivatives
operator       POST   /v1/robots/{robot}/diagnose
operator       POST   /v1/robots/{robot}/energy
operator       POST   /v1/robots/{robot}/energy-estimates
operator       POST   /v1/robots/{robot}/evaluations
operator       POST   /v1/robots/{robot}/excitations
operator       POST   /v1/robots/{robot}/fitted-bodies
operator       POST   /v1/robots/{robot}/forward-dynamics
operator       POST   /v1/robots/{robot}/forward-kinematics
operator       POST   /v1/robots/{robot}/friction-identifications
operator       POST   /v1/robots/{robot}/friction-tests
operator       POST   /v1/robots/{robot}/gravity
operator       POST   /v1/robots/{robot}/gravity-map
operator       POST   /v1/robots/{robot}/identification-studies
operator       POST   /v1/robots/{robot}/identifications
operator       POST   /v1/robots/{robot}/inverse-dynamics
operator       POST   /v1/robots/{robot}/inverse-kinematics
operator       POST   /v1/robots/{robot}/jacobian
operator       POST   /v1/robots/{robot}/linearize
operator       POST   /v1/robots/{robot}/mass-matrix
operator       POST   /v1/robots/{robot}/regressor
operator       POST   /v1/robots/{robot}/simulations
operator       POST   /v1/robots/{robot}/statics
operator       POST   /v1/robots/{robot}/trajectories
operator moves POST   /v1/orders
operator       POST   /v1/orders/cancel
operator moves PATCH  /v1/orders/{order}
operator       POST   /v1/orders/{order}/cancel
operator       POST   /v1/orders/{order}/deliveries
operator       POST   /v1/orders/{order}/hold
operator moves POST   /v1/orders/{order}/resume
operator moves POST   /v1/orders/{order}/start
operator       PATCH  /v1/transfers/{transfer}
operator       POST   /v1/trajectories/{trajectory}/replan
operator moves POST   /v1/transfers/{transfer}/arm
operator       POST   /v1/transfers/{transfer}/deliveries
operator       POST   /v1/transfers/{transfer}/hold
operator moves POST   /v1/transfers/{transfer}/resume
operator moves POST   /v1/transfers/{transfer}/start
operator       POST   /v1/robots/{robot}/torque-shares
operator       POST   /v1/robots/{robot}/tunings
operator       POST   /v1/robots/{robot}/verifications
operator       POST   /v1/robots/{robot}/vibrations
operator       POST   /v1/robots/{robot}/mode-fits
operator       POST   /v1/pendulum-tests
operator       POST   /v1/robots/{robot}/zonings
engineer       DELETE /v1/zonings/{zoning}
engineer       PATCH  /v1/zonings/{zoning}
engineer       DELETE /v1/tunings/{tuning}
engineer       PATCH  /v1/tunings/{tuning}
engineer       DELETE /v1/verifications/{verification}
engineer       PATCH  /v1/verifications/{verification}
engineer       DELETE /v1/collision-checks/{collision_check}
engineer       DELETE /v1/controllers/{controller}/watch
engineer       POST   /v1/controllers/{controller}/watch
engineer       DELETE /v1/controllers/{controller}/test
engineer       POST   /v1/controllers/{controller}/test
engineer       PATCH  /v1/collision-checks/{collision_check}
engineer       DELETE /v1/datasets/{dataset}
engineer       PATCH  /v1/datasets/{dataset}
engineer       DELETE /v1/evaluations/{evaluation}
engineer       PATCH  /v1/evaluations/{evaluation}
engineer       DELETE /v1/excitations/{excitation}
engineer       PATCH  /v1/excitations/{excitation}
engineer       DELETE /v1/friction-identifications/{friction_identification}
engineer       PATCH  /v1/friction-identifications/{friction_identification}
engineer       POST   /v1/friction-identifications/{friction_identification}/promote
engineer       DELETE /v1/friction-tests/{friction_test}
engineer       PATCH  /v1/friction-tests/{friction_test}
engineer       DELETE /v1/identification-studies/{identification_study}
engineer       PATCH  /v1/identification-studies/{identification_study}
engineer       DELETE /v1/identifications/{identification}
engineer       PATCH  /v1/identifications/{identification}
engineer       POST   /v1/identifications/{identification}/promote
engineer       DELETE /v1/mappings/{mapping}
engineer       PUT    /v1/mappings/{mapping}
engineer       POST   /v1/robots
engineer       DELETE /v1/robots/{robot}
engineer       PUT    /v1/robots/{robot}
engineer       DELETE /v1/robots/{robot}/aliases/{alias}
engineer       PUT    /v1/robots/{robot}/aliases/{alias}
engineer       POST   /v1/robots/{robot}/datasets
engineer       POST   /v1/cells
engineer       PUT    /v1/cells/{cell}
engineer       DELETE /v1/cells/{cell}
engineer       POST   /v1/robots/{robot}/parts
engineer       DELETE /v1/robots/{robot}/parts/{part}
engineer       PUT    /v1/robots/{robot}/parts/{part}
engineer       DELETE /v1/robots/{robot}/meshes/{mesh}
engineer       PUT    /v1/robots/{robot}/meshes/{mesh}
engineer       DELETE /v1/simulations/{simulation}
engineer       PATCH  /v1/simulations/{simulation}
engineer       DELETE /v1/trajectories/{trajectory}
engineer       PATCH  /v1/trajectories/{trajectory}
admin          POST   /v1/controllers
admin          DELETE /v1/controllers/{controller}
admin          PUT    /v1/controllers/{controller}
admin          DELETE /v1/controllers/{controller}/lease
admin          DELETE /v1/drain
admin          POST   /v1/drain
admin          POST   /v1/keys
admin          DELETE /v1/keys/{key}
admin          POST   /v1/webhooks
admin          DELETE /v1/webhooks/{webhook}
admin          PUT    /v1/webhooks/{webhook}
admin          POST   /v1/webhooks/{webhook}/rotate
"""


def unsafe():
    """{(method, path): (role, moves)}"""
    lines = [line.split() for line in UNSAFE.strip().splitlines()]
    return {tuple(line[-2:]): (line[0], "moves" in line) for line in lines}
